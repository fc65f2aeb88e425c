-- How often does the majority outvote a system that is right, by label?
--
-- reads:   answers (item, gold, one column per system), answer_list (item, gold, answers), system (number)
-- params:  none
-- returns: label, items, outvoted, share
with judged as (
  select
    item,
    gold,
    (columns(* exclude (item, gold)) is not distinct from gold)::int
  from answers
  where gold is not null
),
supported as (
  select
    item,
    gold,
    list_sum(list_value(*columns(* exclude (item, gold)))) as for_gold
  from judged
),
-- Only where less than half are right can more of the others agree.
voter as (
  select
    supported.item,
    supported.for_gold,
    unnest(answer_list.answers) as answer,
    answer_list.gold
  from supported
  join answer_list using (item)
  where
    supported.for_gold > 0
    and 2 * supported.for_gold < (select max(number) from system)
),
vote as (
  select
    *,
    count(*) as votes
  from voter
  where answer is distinct from gold
  group by all
),
beaten as (
  select
    item,
    max(votes) > any_value(for_gold) as lost
  from vote
  group by item
)
select
  answer_list.gold as label,
  count(*)::bigint as items,
  count(*) filter (beaten.lost)::bigint as outvoted,
  round(outvoted / items, 4) as share
from supported
join answer_list using (item)
left join beaten using (item)
group by label
order by
  share desc nulls last,
  label nulls last

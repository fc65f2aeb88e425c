-- How often does the majority outvote a system that is right, by label?
--
-- reads:   answers (item, run_set, gold, one column per system), answer_list (item, run_set, gold, answers), run_set (run_set, number)
-- params:  none
-- returns: label, items, outvoted, share
with run_size as (
  select
    run_set,
    count(*) as systems
  from run_set
  group by run_set
),
judged as (
  select
    item,
    run_set,
    gold,
    (columns(* exclude (item, run_set, gold)) is not distinct from gold)::int
  from answers
  where gold is not null
),
supported as (
  select
    item,
    run_set,
    gold,
    list_sum(list_value(*columns(* exclude (item, run_set, gold)))) as for_gold
  from judged
),
-- Only where less than half are right can more of the others agree.
voter as (
  select
    supported.item,
    supported.for_gold,
    answer_list.answers[run_set.number] as answer,
    answer_list.gold
  from supported
  join answer_list using (item)
  join run_size on run_size.run_set = supported.run_set
  join run_set on run_set.run_set = supported.run_set
  where
    supported.for_gold > 0
    and 2 * supported.for_gold < run_size.systems
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

-- What becomes of short and long items of each label for one system?
--
-- reads:   answer_list (item, run_set, gold, answers), item (item, form), standing (number, system, correct, place), run_set (run_set, number)
-- params:  system, long = 3
-- returns: label, length, items, correct, mislabelled, missed
--
-- system: the best by default (view standing). long: words that make an item long.
with chosen_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $system
    or ($system is null and place = 1 and correct > 0)
),
said_by_it as (
  select
    answer_list.item,
    answer_list.gold,
    answer_list.answers[chosen_system.number] as answer
  from answer_list
  join chosen_system using (run_set)
)
select
  said_by_it.gold as label,
  case when len(string_split(item.form::varchar, ' ')) >= $long then 'long' else 'short' end as length,
  count(*)::bigint as items,
  count(*) filter (said_by_it.answer = said_by_it.gold)::bigint as correct,
  count(*) filter (said_by_it.answer <> said_by_it.gold)::bigint as mislabelled,
  count(*) filter (said_by_it.gold is not null and said_by_it.answer is null)::bigint as missed
from said_by_it
join item using (item)
where said_by_it.gold is not null
group by all
order by
  label nulls last,
  length nulls last

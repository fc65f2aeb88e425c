-- What becomes of items of each difficulty for one system?
--
-- reads:   answer_list (item, run_set, gold, answers), item (item, difficulty), standing (number, system, correct, place), run_set (run_set, number)
-- params:  system
-- returns: solved_by, items, correct, mislabelled, missed
--
-- system: the best by default (view standing).
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
  item.difficulty as solved_by,
  count(*)::bigint as items,
  count(*) filter (said_by_it.answer = said_by_it.gold)::bigint as correct,
  count(*) filter (said_by_it.answer <> said_by_it.gold)::bigint as mislabelled,
  count(*) filter (said_by_it.gold is not null and said_by_it.answer is null)::bigint as missed
from said_by_it
join item using (item)
where item.difficulty is not null
group by solved_by
order by solved_by nulls last

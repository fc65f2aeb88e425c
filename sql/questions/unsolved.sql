-- What does no system get right, and what does one system predict there?
--
-- reads:   item (item, form, gold, difficulty), answer_list (item, run_set, gold, answers), standing (number, system, correct, place), run_set (run_set, number)
-- params:  system, limit = 20
-- returns: form, gold, items, predicts
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
  item.form,
  item.gold,
  count(*)::bigint as items,
  mode(said_by_it.answer order by said_by_it.answer) as predicts
from item
join said_by_it using (item)
where item.difficulty = 0
group by all
order by
  items desc nulls last,
  form nulls last,
  gold nulls last
limit $limit

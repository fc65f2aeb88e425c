-- The outcome of every item for every system: correct, mislabelled, missed, spurious, absent or not_run.
--
-- reads:   answers (item, run_set, gold, one column per system), system (number, system, column_name), run_set (run_set, number)
-- params:  none
-- returns: item, system, gold, answer, outcome
--
-- not_run: the system was not run on the item's dataset or part, and the item does not count for it.
select
  said.item,
  system.system,
  said.gold,
  said.answer,
  case
    when run_set.number is null then 'not_run'
    when said.gold is null and said.answer is null then 'absent'
    when said.gold is null then 'spurious'
    when said.answer is null then 'missed'
    when said.gold = said.answer then 'correct'
    else 'mislabelled'
  end as outcome
from (
  from answers
  unpivot include nulls (answer for name in (columns(* exclude (item, run_set, gold))))
) as said
join system on system.column_name = said.name
left join run_set on run_set.run_set = said.run_set and run_set.number = system.number

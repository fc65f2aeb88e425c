-- The answer of every system to every item it was run on: a row per item and system.
--
-- reads:   answers (item, run_set, gold, one column per system), system (number, system, column_name), run_set (run_set, number)
-- params:  none
-- returns: item, system, gold, answer
select
  said.item,
  system.system,
  said.gold,
  said.answer
from (
  from answers
  unpivot include nulls (answer for name in (columns(* exclude (item, run_set, gold))))
) as said
join system on system.column_name = said.name
semi join run_set on run_set.run_set = said.run_set and run_set.number = system.number

-- The answer of every system to every item: the long form, one row per item and system.
--
-- reads:   answers (item, gold, one column per system), system (system, column_name)
-- params:  none
-- returns: item, system, gold, answer
select
  said.item,
  system.system,
  said.gold,
  said.answer
from (
  from answers
  unpivot include nulls (answer for name in (columns(* exclude (item, gold))))
) as said
join system on system.column_name = said.name

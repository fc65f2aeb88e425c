-- What all systems answer to each item, as a list in the order of the systems' numbers.
--
-- reads:   answers (item, run_set, gold, one column per system)
-- params:  none
-- returns: item, run_set, gold, answers
--
-- The answer of one system is answers[number], how many answer alike is said by one list. A system
-- that was not run on an item is not in its run_set.
select
  item,
  run_set,
  gold,
  list_value(*columns(* exclude (item, run_set, gold))) as answers
from answers

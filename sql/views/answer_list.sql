-- What all systems answer to each item, as a list in the order of the systems' numbers.
--
-- reads:   answers (item, gold, one column per system)
-- params:  none
-- returns: item, gold, answers
--
-- The answer of one system is answers[number], how many answer alike is said by one list.
select
  item,
  gold,
  list_value(*columns(* exclude (item, gold))) as answers
from answers

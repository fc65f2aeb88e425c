-- What all systems answer to each item, as a list in the order of the systems' numbers.
--
-- reads:   answers (item, gold, one column per system)
-- params:  none
-- returns: item, gold, answers
--
-- Who asks about one system, or about how many, takes places of the list: answers[number].
select
  item,
  gold,
  list_value(*columns(* exclude (item, gold))) as answers
from answers

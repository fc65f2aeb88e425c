-- The outcome of every item for every system: correct, mislabelled, missed, spurious or absent.
--
-- reads:   answer (item, system, gold, answer)
-- params:  none
-- returns: item, system, gold, answer, outcome
select
  item,
  system,
  gold,
  answer,
  case
    when gold is null and answer is null then 'absent'
    when gold is null then 'spurious'
    when answer is null then 'missed'
    when gold = answer then 'correct'
    else 'mislabelled'
  end as outcome
from answer

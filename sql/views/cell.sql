-- Which answers each system gives to items of which labels, and how often: its confusion.
--
-- reads:   tally (n, system, gold, answer, findable)
-- params:  none
-- returns: system, gold, answer, n
--
-- Items that neither gold nor the system answers are none, unless nothing is an answer too.
select
  system,
  gold,
  answer,
  sum(n)::bigint as n
from tally
where
  findable
  or answer is not null
group by all

-- Confusion of labels: how often each system gives each answer where gold has each label.
--
-- reads:   tally (n, system, label_gold, label, findable, answer)
-- params:  none
-- returns: system, gold, answer, n
--
-- Null: no answer. Items that neither of the two answers count only where that is an answer too.
select
  system,
  label_gold as gold,
  label as answer,
  sum(n)::bigint as n
from tally
where
  findable
  or answer is not null
group by all
order by
  system nulls last,
  gold nulls last,
  answer nulls last

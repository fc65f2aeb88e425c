-- Span errors: right spans, and each error of the fair evaluation, once (Ortmann 2022).
--
-- reads:   tally (n, system, gold, correct), error (system, gold, answer, kind)
-- params:  none
-- returns: system, gold, answer, kind, n
--
-- SQL cannot say which span is matched with which: a rule goes over them one by one. What it found
-- is in error, a row for each error that counts, all else is counted here.
select
  system,
  gold,
  gold as answer,
  'tp' as kind,
  sum(n)::bigint as n
from tally
where
  correct
  and gold is not null
group by all
union all
select
  system,
  gold,
  answer,
  kind,
  count(*)::bigint as n
from error
group by all
order by
  system nulls last,
  kind nulls last,
  gold nulls last,
  answer nulls last

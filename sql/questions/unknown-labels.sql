-- Which labels do systems predict that gold never has?
--
-- reads:   tally (n, system, gold, answer)
-- params:  none
-- returns: label, systems, n
with known as (
  select distinct gold as label
  from tally
  where gold is not null
)
select
  answer as label,
  count(distinct system)::bigint as systems,
  sum(n)::bigint as n
from tally
anti join known on known.label = tally.answer
where answer is not null
group by answer
order by
  n desc nulls last,
  label nulls last

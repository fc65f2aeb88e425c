-- Which labels do systems predict that gold never has?
--
-- reads:   cell (n, system, gold, answer)
-- params:  none
-- returns: label, systems, n
with known as (
  select distinct gold as label
  from cell
  where gold is not null
)
select
  answer as label,
  count(distinct system)::bigint as systems,
  sum(n)::bigint as n
from cell
anti join known on known.label = cell.answer
where answer is not null
group by answer
order by
  n desc nulls last,
  label nulls last

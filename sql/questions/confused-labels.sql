-- Which labels are confused, by how many systems, and how often?
--
-- reads:   cell (n, system, gold, answer)
-- params:  limit = 20
-- returns: gold, answer, systems, n
select
  gold,
  answer,
  count(distinct system)::bigint as systems,
  sum(n)::bigint as n
from cell
where gold <> answer
group by all
order by
  n desc nulls last,
  gold nulls last,
  answer nulls last
limit $limit

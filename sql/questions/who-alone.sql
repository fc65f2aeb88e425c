-- Which system alone solves what: items that it has right and no other, by label.
--
-- reads:   tally (pattern, n, system, gold, correct)
-- params:  system, limit = 50
-- returns: system, label, items
--
-- system: all by default.
with judged as (
  select
    system,
    gold,
    n,
    correct,
    count(*) filter (correct) over (partition by pattern) as solved_by
  from tally
  where gold is not null
)
select
  system,
  gold as label,
  sum(n)::bigint as items
from judged
where
  correct
  and solved_by = 1
  and ($system is null or system = $system)
group by all
order by
  items desc nulls last,
  system nulls last,
  label nulls last
limit $limit

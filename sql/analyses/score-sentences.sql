-- How many sentences (or instances) each system has at least one wrong answer in.
--
-- reads:   grouped (unit, gold, one column per system)
-- params:  none
-- returns: system, n
with judged as (
  select
    bool_or(columns(* exclude (unit, gold)) is distinct from gold) as '\0'
  from grouped
  group by unit
),
wrong as (
  select
    coalesce(sum(columns(*)::int), 0)::bigint as '\0'
  from judged
)
select
  system,
  n
from wrong
unpivot include nulls (n for system in (columns(*)))
order by system nulls last

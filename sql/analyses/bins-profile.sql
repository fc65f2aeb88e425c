-- Sums of whole numbers about items (0 and 1 for no and yes) in each bin.
--
-- reads:   trait (bin, one column per property, null where it means nothing)
-- params:  none
-- returns: bin, property, total, n
with summed as (
  select
    bin,
    coalesce(sum(columns(* exclude (bin))), 0)::bigint as '\0'
  from trait
  group by bin
),
counted as (
  select
    bin,
    count(columns(* exclude (bin)))::bigint as '\0'
  from trait
  group by bin
),
total as (
  select
    bin,
    property,
    total
  from summed
  unpivot (total for property in (columns(* exclude (bin))))
),
known as (
  select
    bin,
    property,
    n
  from counted
  unpivot (n for property in (columns(* exclude (bin))))
)
select
  bin,
  property,
  total,
  n
from total
join known using (bin, property)
order by
  bin nulls last,
  property nulls last

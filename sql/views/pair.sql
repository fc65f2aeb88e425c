-- The pairs of systems that are compared: every two, in the order they were given.
--
-- reads:   system (number, system)
-- params:  none
-- returns: before, after
select
  a.system as before,
  b.system as after
from system as a
join system as b on a.number < b.number

-- Which two systems reach most together, if one always knew which to take?
--
-- reads:   versus (before, after, found, right_before, right_after, right_both)
-- params:  limit = 20
-- returns: a, b, items, right_a, right_b, together, gain
select
  before as a,
  after as b,
  found as items,
  right_before as right_a,
  right_after as right_b,
  right_before + right_after - right_both as together,
  together - greatest(right_a, right_b) as gain
from versus
where found > 0
order by
  together desc nulls last,
  a nulls last,
  b nulls last
limit $limit

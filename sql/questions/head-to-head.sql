-- Where exactly one of two systems is right, which is it, for every two systems?
--
-- reads:   versus (before, after, found, right_before, right_after, right_both)
-- params:  limit = 30
-- returns: a, b, only_a, only_b, share_a
select
  before as a,
  after as b,
  right_before - right_both as only_a,
  right_after - right_both as only_b,
  round(only_a / nullif(only_a + only_b, 0), 4) as share_a
from versus
where found > 0
order by
  abs(only_a - only_b) desc nulls last,
  a nulls last,
  b nulls last
limit $limit

-- Which two systems answer most alike, and how often do they share an error?
--
-- reads:   versus (before, after, items, same, same_error, wrong_both)
-- params:  limit = 20
-- returns: a, b, items, same, share, same_error, wrong_both
select
  before as a,
  after as b,
  items,
  same,
  round(same / items, 4) as share,
  same_error,
  wrong_both
from versus
where items > 0
order by
  share desc nulls last,
  a nulls last,
  b nulls last
limit $limit

-- Which forms are hardest?
--
-- reads:   item (form, gold, difficulty)
-- params:  least = 5, limit = 20
-- returns: form, items, solved_by, labels
select
  form,
  count(*)::bigint as items,
  round(avg(difficulty), 2) as solved_by,
  string_agg(distinct gold::varchar, ', ' order by gold::varchar) as labels
from item
where gold is not null
group by form
having count(*) >= min($least)
order by
  solved_by nulls last,
  items desc nulls last,
  form nulls last
limit $limit

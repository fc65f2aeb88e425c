-- Which forms have several labels in gold, and how hard are they?
--
-- reads:   item (form, gold, difficulty)
-- params:  least = 10, limit = 20
-- returns: form, labels, items, solved_by
--
-- least: items of a form that are enough to count it.
select
  form,
  string_agg(distinct gold::varchar, ', ' order by gold::varchar) as labels,
  count(*)::bigint as items,
  round(avg(difficulty), 2) as solved_by
from item
where gold is not null
group by form
having
  count(distinct gold) > 1
  and count(*) >= min($least)
order by
  solved_by nulls last,
  items desc nulls last,
  form nulls last
limit $limit

-- Which forms have several labels in gold, and how hard are they?
--
-- reads:   item (form, gold, difficulty)
-- params:  least = 10, limit = 20
-- returns: form, labels, items, solved_by
--
-- least: items of a form that are enough to count it.
with labelled as (
  select
    form,
    gold::varchar as gold,
    count(*) as n,
    count(difficulty) as judged,
    sum(difficulty) as solved
  from item
  where gold is not null
  group by all
)
select
  form,
  string_agg(gold, ', ' order by gold) as labels,
  sum(n)::bigint as items,
  round(sum(solved) / sum(judged), 2) as solved_by
from labelled
group by form
having
  count(*) > 1
  and sum(n) >= min($least)
order by
  solved_by nulls last,
  items desc nulls last,
  form nulls last
limit $limit

-- Which forms are hardest?
--
-- reads:   item (form, gold, difficulty)
-- params:  least = 5, limit = 20
-- returns: form, items, solved_by, labels
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
  sum(n)::bigint as items,
  round(sum(solved) / sum(judged), 2) as solved_by,
  string_agg(gold, ', ' order by gold) as labels
from labelled
group by form
having sum(n) >= min($least)
order by
  solved_by nulls last,
  items desc nulls last,
  form nulls last
limit $limit

-- In which documents do systems differ most from one another?
--
-- reads:   outcome (item, system, gold, outcome), item (item, document)
-- params:  least = 10, limit = 20
-- returns: document, items, lowest, highest, spread
with each as (
  select
    item.document,
    outcome.system,
    count(*)::bigint as items,
    avg((outcome = 'correct')::int) as share
  from outcome
  join item using (item)
  where outcome.gold is not null
  group by all
)
select
  document,
  max(items) as items,
  round(min(share), 4) as lowest,
  round(max(share), 4) as highest,
  round(max(share) - min(share), 4) as spread
from each
group by document
having max(items) >= min($least)
order by
  spread desc nulls last,
  document nulls last
limit $limit

-- Which documents are hardest, and which system is best in each?
--
-- reads:   outcome (item, system, gold, outcome), item (item, document), system (number, system)
-- params:  limit = 20
-- returns: document, items, mean, best, best_system
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
  round(avg(share), 4) as mean,
  round(max(share), 4) as best,
  arg_max(system, (share, -number)) as best_system
from each
join system using (system)
group by document
order by
  mean nulls last,
  document nulls last
limit $limit

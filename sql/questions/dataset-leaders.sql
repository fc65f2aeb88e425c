-- Which system has most right in each dataset?
--
-- reads:   outcome (item, system, gold, outcome), item (item, dataset), system (number, system)
-- params:  none
-- returns: dataset, items, system, share, mean
with each as (
  select
    item.dataset,
    outcome.system,
    count(*)::bigint as items,
    avg((outcome = 'correct')::int) as share
  from outcome
  join item using (item)
  where outcome.gold is not null
  group by all
)
select
  dataset,
  max(items) as items,
  arg_max(system, (share, -number)) as system,
  round(max(share), 4) as share,
  round(avg(share), 4) as mean
from each
join system using (system)
group by dataset
order by
  share nulls last,
  dataset nulls last

-- How does the share of each label differ between datasets?
--
-- reads:   item (dataset, gold)
-- params:  limit = 30
-- returns: label, dataset, items, share, overall, points
with each as (
  select
    dataset,
    gold as label,
    count(*)::bigint as items
  from item
  where gold is not null
  group by all
),
shared as (
  select
    *,
    items / sum(items) over (partition by dataset) as share,
    sum(items) over (partition by label) / sum(items) over () as overall
  from each
)
select
  label,
  dataset,
  items,
  round(share, 4) as share,
  round(overall, 4) as overall,
  round(100 * (share - overall), 2) as points
from shared
order by
  abs(share - overall) desc nulls last,
  label nulls last,
  dataset nulls last
limit $limit

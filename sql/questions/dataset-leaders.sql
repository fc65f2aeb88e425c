-- Which system has most right in each dataset?
--
-- reads:   answers (item, gold, one column per system), item (item, dataset), system (number, system, column_name)
-- params:  none
-- returns: dataset, items, system, share, mean
with counted as (
  select
    item.dataset,
    list_value(count(answers.gold), count_if(columns(answers.* exclude (item, gold)) is not distinct from answers.gold))
  from answers
  join item using (item)
  where answers.gold is not null
  group by item.dataset
),
each as (
  select
    counted.dataset,
    system.number,
    system.system,
    counted.n[1] as items,
    counted.n[2] as correct,
    counted.n[2] / counted.n[1] as share
  from (
    from counted
    unpivot include nulls (n for name in (columns(* exclude (dataset))))
  ) as counted
  join system on system.column_name = counted.name
)
select
  dataset,
  max(items) as items,
  arg_max(system, (share, -number)) as system,
  round(max(share), 4) as share,
  round(sum(correct) / sum(each.items), 4) as mean
from each
group by dataset
order by
  share nulls last,
  dataset nulls last

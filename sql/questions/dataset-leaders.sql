-- Which system has most right in each dataset?
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, dataset), system (number, system, column_name), run_set (run_set, number)
-- params:  none
-- returns: dataset, items, system, share, mean
with counted as (
  select
    item.dataset,
    answers.run_set,
    list_value(count(answers.gold), count_if(columns(answers.* exclude (item, run_set, gold)) is not distinct from answers.gold))
  from answers
  join item using (item)
  where answers.gold is not null
  group by
    item.dataset,
    answers.run_set
),
each as (
  select
    counted.dataset,
    system.number,
    system.system,
    sum(counted.n[1])::bigint as items,
    sum(counted.n[2]) as correct,
    sum(counted.n[2]) / sum(counted.n[1]) as share
  from (
    from counted
    unpivot include nulls (n for name in (columns(* exclude (dataset, run_set))))
  ) as counted
  join system on system.column_name = counted.name
  semi join run_set on run_set.run_set = counted.run_set and run_set.number = system.number
  group by
    counted.dataset,
    system.number,
    system.system
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

-- How good is each system on average over the datasets that have gold, whatever their size?
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, dataset), system (number, system, column_name), run_set (run_set, number)
-- params:  none
-- returns: system, datasets, macro, pooled
--
-- F1, as `score --by dataset --missing leave-out` has it: a dataset that a system was not run on does
-- not count for it, and one in which gold has nothing is in no mean, though answers there are in
-- `pooled`. datasets: how many are in the mean.
with counted as (
  select
    item.dataset,
    answers.run_set,
    list_value(
      count(answers.gold),
      count(columns(answers.* exclude (item, run_set, gold))),
      count(nullif(columns(answers.* exclude (item, run_set, gold)) = answers.gold, false))
    )
  from answers
  join item using (item)
  group by
    item.dataset,
    answers.run_set
),
each as (
  select
    system.system,
    counted.dataset,
    sum(counted.n[1]) as gold,
    sum(counted.n[2]) as answered,
    sum(counted.n[3]) as correct
  from (
    from counted
    unpivot include nulls (n for name in (columns(* exclude (dataset, run_set))))
  ) as counted
  join system on system.column_name = counted.name
  semi join run_set on run_set.run_set = counted.run_set and run_set.number = system.number
  group by
    counted.dataset,
    system.system
)
select
  system,
  count_if(gold > 0) as datasets,
  round(avg(2 * correct / (gold + answered)) filter (gold > 0), 4) as macro,
  round(2 * sum(correct) / nullif(sum(gold) + sum(answered), 0), 4) as pooled
from each
group by system
order by
  macro desc nulls last,
  system nulls last

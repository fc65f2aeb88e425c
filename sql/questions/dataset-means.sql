-- How good is each system on average over the datasets that have gold, whatever their size?
--
-- reads:   answers (item, gold, one column per system), item (item, dataset), system (number, system, column_name)
-- params:  none
-- returns: system, datasets, macro, pooled
--
-- F1, as `score --by dataset --missing wrong` has it: a dataset that a system has not run on counts
-- as 0, and one in which gold has nothing is in no mean, though answers there are in `pooled`.
with counted as (
  select
    item.dataset,
    list_value(
      count(answers.gold),
      count(columns(answers.* exclude (item, gold))),
      count(nullif(columns(answers.* exclude (item, gold)) = answers.gold, false))
    )
  from answers
  join item using (item)
  group by item.dataset
),
each as (
  select
    system.system,
    counted.n[1] as gold,
    counted.n[2] as answered,
    counted.n[3] as correct
  from (
    from counted
    unpivot include nulls (n for name in (columns(* exclude (dataset))))
  ) as counted
  join system on system.column_name = counted.name
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

-- The leaderboard by label: true and false positives, misses, precision, recall, F1 of each label.
--
-- reads:   tally (n, system, gold, answer, correct)
-- params:  none
-- returns: system, label, tp, fp, fn, precision, recall, f1, support
with side as (
  select
    system,
    gold as label,
    n as support,
    case when correct then n else 0 end as tp,
    0 as fp,
    case when correct then 0 else n end as fn
  from tally
  where gold is not null
  union all
  select
    system,
    answer as label,
    0 as support,
    0 as tp,
    n as fp,
    0 as fn
  from tally
  where
    answer is not null
    and not correct
),
counted as (
  select
    system,
    label,
    sum(tp)::bigint as tp,
    sum(fp)::bigint as fp,
    sum(fn)::bigint as fn,
    sum(support)::bigint as support
  from side
  group by all
)
select
  system,
  label,
  tp,
  fp,
  fn,
  tp / nullif(tp + fp, 0) as precision,
  tp / nullif(tp + fn, 0) as recall,
  2 * tp / nullif(2 * tp + fp + fn, 0) as f1,
  support
from counted
order by
  system nulls last,
  label nulls last

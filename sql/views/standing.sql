-- The systems from the best, by the metric that the leaderboard is ranked by.
--
-- reads:   cell (n, system, gold, answer), system (number, system), corpus (metric, empty_is_answer)
-- params:  none
-- returns: number, system, correct, score, place
--
-- correct: items of gold that are right. score: accuracy where that is the metric, else F1. Systems
-- that were not run on everything are scored on what they were run on.
with counted as (
  select
    system,
    coalesce(sum(n) filter (gold = answer), 0)::bigint as correct,
    sum(n) filter (gold is not distinct from cell.answer) as alike,
    sum(n) filter (gold is not null or empty_is_answer) as findable,
    coalesce(sum(n) filter (gold is not null), 0) + coalesce(sum(n) filter (answer is not null), 0) as both_sides
  from cell
  cross join corpus
  group by system
),
scored as (
  select
    system.number,
    system.system,
    coalesce(counted.correct, 0) as correct,
    case
      when corpus.metric = 'accuracy' then coalesce(alike, 0) / nullif(findable, 0)
      else 2 * coalesce(counted.correct, 0) / nullif(both_sides, 0)
    end as score
  from system
  cross join corpus
  left join counted on counted.system = system.system
)
select
  number,
  system,
  correct,
  score,
  row_number() over (
    order by
      score desc nulls last,
      system
  ) as place
from scored

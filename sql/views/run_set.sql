-- Which systems were run on what: the members of each set of systems, as answers name them.
--
-- reads:   run (run_set, system, status), system (number, system)
-- params:  none
-- returns: run_set, number, system
--
-- Datasets and parts on which the same systems were run have one set: one where all were run on all.
select distinct
  run.run_set,
  system.number,
  system.system
from run
join system using (system)
where run.status = 'run'

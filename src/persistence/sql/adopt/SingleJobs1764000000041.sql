-- A column says which jobs run one at a time in the cluster, in place of the name of the queue.
alter table job add column single bool not null default false;
update job set single = true where queue = 'notion-sync' and state = 'running';
drop index job_single_running;
create unique index job_single_running on job (queue) where state = 'running' and single;

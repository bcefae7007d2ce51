-- Views that any room, and people with SQL access, may read. Their columns are a contract.

-- One row for each answer: how long its reply took and how it ended. A public view.
create or replace view flush_log as
  select 'flush:' || t.answer_id as flush_id, c.candidate_id as user_id, t.conversation_id, t.interview_step,
    t.message_count, t.started_at, t.completed_at,
    case when t.state in ('opened', 'replied') then 'pending'
         when t.state in ('delivered', 'merged') then 'success' else 'failed' end as status,
    t.error
  from turn t join conversation c on c.id = t.conversation_id;

-- The current status of each person's board in Notion.
create or replace view notion_user_status as
  select user_id, state, due_at, failures, queue_wait_ms, time_to_ready_ms, run_ms, runs, reruns,
    loaded, processed, updated, dropped, api_calls, total_loaded, total_processed, total_updated,
    total_dropped, total_api_calls, last_end, last_reason, last_ended_at, looked_at
  from notion_user_status_at(now());

-- Jobs that are not over: they are to be claimed, run, or are to be tried again.
create or replace view live_job as
  select id, queue, key, state, due_at, quiet_at, claim_no, failures, given_back, given_back_since, last_error
  from job where state in ('open', 'running', 'retry');

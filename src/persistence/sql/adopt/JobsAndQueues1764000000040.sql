-- Renames `task` to `job`, its column `lane` to `queue`, and `telegram_answer` to
-- `telegram_bot_reply`.
alter table task rename to job;
alter table job rename column lane to queue;
alter table job rename constraint task_state_check to job_state_check;
alter sequence task_id_seq rename to job_id_seq;
alter table attention rename column task_id to job_id;
update attention set subject = 'job' || substr(subject, 5) where subject like 'task:%';
alter table telegram_answer rename to telegram_bot_reply;
alter table telegram_bot_reply
  rename constraint telegram_answer_account_id_fkey to telegram_bot_reply_account_id_fkey;
alter sequence telegram_answer_id_seq rename to telegram_bot_reply_id_seq;
alter function tell_ended_sessions() rename to notify_ended_sessions;
alter index task_dead rename to job_dead;
alter index task_done rename to job_done;
alter index task_due rename to job_due;
alter index task_ended_key rename to job_ended_key;
alter index task_given_back rename to job_given_back;
alter index task_key rename to job_key;
alter index task_lane_single rename to job_single_running;
alter index task_lease rename to job_lease;
alter index task_one_open rename to job_one_open;
alter index task_one_running rename to job_one_running;
alter index task_pkey rename to job_pkey;
alter index attention_task rename to attention_job;
alter index telegram_answer_pkey rename to telegram_bot_reply_pkey;
alter index telegram_answer_account rename to telegram_bot_reply_account;
alter index telegram_answer_chat rename to telegram_bot_reply_chat;

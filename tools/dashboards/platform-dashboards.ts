import { type Dashboard, ofCluster, perSecond, quantile, rate } from './queries';

/** Queues of Notion run rarely: a longer range has more of them. */
const SOME_MINUTES = '[5m]';

export const NOTION: Dashboard = {
  uid: 'colloquy-notion',
  title: 'Colloquy: Notion',
  panels: [
    {
      title: 'Calls a second',
      description: 'By all replicas together; the budget is NOTION_MAX_RPS.',
      unit: 'reqps',
      queries: [
        { expr: `sum(${rate('colloquy_notion_requests_total')})`, legend: 'all' },
        { expr: perSecond('colloquy_notion_requests_total', 'endpoint'), legend: '{{endpoint}}' },
      ],
    },
    {
      title: 'Budget in force',
      description: 'Share of the allowed rate; below 1 after Notion asked for fewer calls.',
      unit: 'percentunit',
      queries: [{ expr: 'min(colloquy_notion_allowed_rate_ratio)', legend: 'allowed rate' }],
    },
    {
      title: 'Wait for a permit',
      description: 'How long calls wait for their place in the budget.',
      unit: 's',
      queries: [
        { expr: quantile(0.5, 'colloquy_notion_permit_wait_seconds'), legend: 'p50' },
        { expr: quantile(0.95, 'colloquy_notion_permit_wait_seconds'), legend: 'p95' },
      ],
    },
    {
      title: 'Calls that wait for a permit',
      description: 'In this moment.',
      unit: 'short',
      queries: [{ expr: 'sum(colloquy_notion_permit_queue)', legend: 'calls' }],
    },
    {
      title: 'Calls by outcome',
      description: 'Everything but `ok` is retried or reported.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_notion_requests_total', 'outcome')}`,
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Duration of calls',
      description: 'Of Notion itself, without the wait for a permit.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'colloquy_notion_request_seconds', 'endpoint'),
          legend: '{{endpoint}} p95',
        },
      ],
    },
    {
      title: 'Requests for fewer calls',
      description: 'Responses 429 and 529, an hour.',
      unit: 'short',
      queries: [
        {
          expr: 'sum(increase(colloquy_notion_rate_limited_total[1h])) or vector(0)',
          legend: 'responses',
        },
      ],
    },
    {
      title: 'Boards that wait',
      description: '`ready` ones wait for the worker.',
      unit: 'short',
      queries: [{ expr: ofCluster('colloquy_notion_queue_boards', 'state'), legend: '{{state}}' }],
    },
    {
      title: 'Runs on boards',
      description: 'By their end.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * sum by (end) (rate(colloquy_notion_runs_total${SOME_MINUTES}))`,
          legend: '{{end}}',
        },
      ],
    },
    {
      title: 'From a change to its ranks',
      description: 'Until the board is ready, and the run itself.',
      unit: 's',
      queries: ['time_to_ready', 'run'].map((part) => ({
        expr: `histogram_quantile(0.95, sum by (le) (rate(colloquy_notion_${part}_seconds_bucket${SOME_MINUTES})))`,
        legend: `${part.replaceAll('_', ' ')} p95`,
      })),
    },
  ],
};

export const QUEUES: Dashboard = {
  uid: 'colloquy-queues',
  title: 'Colloquy: queues and database',
  panels: [
    {
      title: 'Due jobs',
      description: 'Jobs that could run now, in all replicas.',
      unit: 'short',
      queries: [{ expr: ofCluster('colloquy_jobs_due', 'queue'), legend: '{{queue}}' }],
    },
    {
      title: 'Age of the oldest due job',
      description: 'It grows while a queue has too few workers or its peer is away.',
      unit: 's',
      queries: [
        { expr: ofCluster('colloquy_job_oldest_due_seconds', 'queue'), legend: '{{queue}}' },
      ],
    },
    {
      title: 'Jobs done',
      description: 'The rate of each queue.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_job_completions_total', 'queue')}`,
          legend: '{{queue}}',
        },
      ],
    },
    {
      title: 'Failures of jobs',
      description: 'Own failures, claims given back because the peer failed, and lost leases.',
      unit: 'opm',
      queries: ['failures', 'given_back', 'leases_lost'].map((what) => ({
        expr: `60 * sum(${rate(`colloquy_job_${what}_total`)}) or vector(0)`,
        legend: what.replaceAll('_', ' '),
      })),
    },
    {
      title: 'Duration of a run',
      description: 'From the claim to its end.',
      unit: 's',
      queries: [
        { expr: quantile(0.95, 'colloquy_job_run_seconds', 'queue'), legend: '{{queue}} p95' },
      ],
    },
    {
      title: 'Lateness of claims',
      description: 'First claim minus due time.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'colloquy_job_claim_lateness_seconds', 'queue'),
          legend: '{{queue}} p95',
        },
      ],
    },
    {
      title: 'Dead jobs and open breakers',
      description:
        'Dead jobs wait for a person; a breaker is 2 while the peer of its queue is away.',
      unit: 'short',
      queries: [
        { expr: ofCluster('colloquy_jobs_dead', 'queue'), legend: '{{queue}} dead' },
        { expr: ofCluster('colloquy_job_breaker', 'queue'), legend: '{{queue}} breaker' },
      ],
    },
    {
      title: 'Age of the last pass',
      description: 'Of the job loop of each replica; above some seconds it is stuck.',
      unit: 's',
      queries: [{ expr: 'colloquy_job_last_tick_age_seconds', legend: '{{instance}}' }],
    },
    {
      title: 'Commits',
      description: 'Micro-commits a second, by outcome.',
      unit: 'reqps',
      queries: [
        { expr: perSecond('colloquy_uow_commits_total', 'outcome'), legend: '{{outcome}}' },
      ],
    },
    {
      title: 'Slowest commits',
      description: 'The ten slowest labels.',
      unit: 's',
      queries: [
        {
          expr: `topk(10, ${quantile(0.95, 'colloquy_uow_commit_seconds', 'label')})`,
          legend: '{{label}} p95',
        },
      ],
    },
    {
      title: 'Pool',
      description: 'Connections of each replica, and commits that wait for one.',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (instance, state) (colloquy_pool_connections)',
          legend: '{{instance}} {{state}}',
        },
        { expr: 'colloquy_pool_waiting', legend: '{{instance}} waiting' },
      ],
    },
    {
      title: 'Wait for a connection',
      description: 'Above some milliseconds the pool is too small or the database too slow.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'colloquy_uow_pool_wait_seconds', 'instance'),
          legend: '{{instance}} p95',
        },
      ],
    },
    {
      title: 'PostgreSQL connections',
      description: 'Of every client, and what the server accepts.',
      unit: 'short',
      queries: [
        { expr: ofCluster('colloquy_postgres_connections'), legend: 'open' },
        { expr: ofCluster('colloquy_postgres_max_connections'), legend: 'accepted' },
      ],
    },
    {
      title: 'PostgreSQL transactions',
      description: 'The age of the oldest one; it keeps dead rows.',
      unit: 's',
      queries: [
        { expr: ofCluster('colloquy_postgres_oldest_transaction_seconds'), legend: 'oldest' },
      ],
    },
    {
      title: 'PostgreSQL locks',
      description: 'Sessions that wait, and deadlocks in an hour.',
      unit: 'short',
      queries: [
        { expr: ofCluster('colloquy_postgres_lock_waits'), legend: 'waiting' },
        { expr: 'max(delta(colloquy_postgres_deadlocks[1h]))', legend: 'deadlocks' },
      ],
    },
    {
      title: 'PostgreSQL rows to remove',
      description: 'Autovacuum removes them; they must not grow for hours.',
      unit: 'short',
      queries: [{ expr: ofCluster('colloquy_postgres_dead_rows'), legend: 'dead rows' }],
    },
    {
      title: 'PostgreSQL size',
      description: 'Of the database on disk.',
      unit: 'bytes',
      queries: [{ expr: ofCluster('colloquy_postgres_size_bytes'), legend: 'size' }],
    },
    {
      title: 'Event loop',
      description: 'Above 0.2 s a replica has too little CPU.',
      unit: 's',
      queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds', legend: '{{instance}} p99' }],
    },
    {
      title: 'Memory',
      description: 'Resident memory of each replica.',
      unit: 'bytes',
      queries: [{ expr: 'process_resident_memory_bytes{job="colloquy"}', legend: '{{instance}}' }],
    },
  ],
};

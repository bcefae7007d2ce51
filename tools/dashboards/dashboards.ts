/** One curve or figure: a query of PromQL, and the legend of what it returns. */
export interface Query {
  readonly expr: string;
  /** With `{{label}}` for the labels of a series. */
  readonly legend: string;
}

/** Units by Grafana's names. */
export type Unit = 'short' | 's' | 'percentunit' | 'reqps' | 'bytes' | 'currencyUSD' | 'opm';

export interface Panel {
  readonly title: string;
  /** What a reader should conclude from it, in one sentence. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
}

export interface Dashboard {
  /** The name of its file and its address in Grafana. */
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  /** Values that a reader may change, with their defaults. */
  readonly variables?: readonly {
    readonly name: string;
    readonly label: string;
    readonly value: string;
  }[];
}

/** `rate` over the range that fits the panel. */
function rate(metric: string): string {
  return `rate(${metric}[$__rate_interval])`;
}

function perSecond(metric: string, by: string): string {
  return `sum by (${by}) (${rate(metric)})`;
}

/** Of a histogram whose name is given without `_bucket`. */
function quantile(share: number, metric: string, by = ''): string {
  const [name = '', selector = ''] = metric.split(/(?=\{)/);
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${String(share)}, sum by (${labels}) (${rate(`${name}_bucket${selector}`)}))`;
}

function quantiles(metric: string, by: string): Query[] {
  return [
    { expr: quantile(0.5, metric, by), legend: `{{${by}}} p50` },
    { expr: quantile(0.95, metric, by), legend: `{{${by}}} p95` },
  ];
}

/** Which share of `metric` has these labels; 0 while no series has them. */
function share(metric: string, selector: string, by: string): string {
  const all = perSecond(metric, by);
  return `(${perSecond(`${metric}${selector}`, by)} or 0 * ${all}) / (${all} > 0)`;
}

/** Figures of the database: every replica shows the same ones. */
function ofCluster(metric: string, by = ''): string {
  return by === '' ? `max(${metric})` : `max by (${by}) (${metric})`;
}

/** Queues of Notion and of scores run rarely: a longer range has more of them. */
const SOME_MINUTES = '[5m]';
const HTTP = 'colloquy_http_request_seconds';
const COST = ['input', 'output']
  .map(
    (direction) =>
      `${perSecond(`colloquy_llm_tokens_total{direction="${direction}"}`, 'job')} * $${direction}_price`,
  )
  .join(' + ');

const INTERVIEWS: Dashboard = {
  uid: 'colloquy-interviews',
  title: 'Colloquy: interviews',
  panels: [
    {
      title: 'Answers waiting',
      description:
        'Complete answers without a stored reply, in all replicas. The autoscaler follows it.',
      unit: 'short',
      queries: [{ expr: ofCluster('colloquy_answers_waiting'), legend: 'waiting' }],
    },
    {
      title: 'Wait to reply',
      description: 'From the last message of an answer to its stored reply, quiet time included.',
      unit: 's',
      queries: quantiles('colloquy_reply_wait_seconds', 'channel'),
    },
    {
      title: 'Answers by channel',
      description: 'Replies stored a minute.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_reply_wait_seconds_count', 'channel')}`,
          legend: '{{channel}}',
        },
      ],
    },
    {
      title: 'Answers by outcome',
      description:
        '`unanalysed`, `failed` and `expired` mean that the model or the database failed.',
      unit: 'opm',
      queries: [
        { expr: `60 * ${perSecond('colloquy_turns_total', 'outcome')}`, legend: '{{outcome}}' },
      ],
    },
    {
      title: 'Failed tries by channel',
      description: 'Share of tries at an answer that failed. They are tried again.',
      unit: 'percentunit',
      queries: [
        {
          expr: share(
            'colloquy_buffer_flush_outcomes_total',
            '{outcome=~"failure|peer_unavailable|lost"}',
            'channel',
          ),
          legend: '{{channel}}',
        },
      ],
    },
    {
      title: 'Interviews by stage',
      description: 'How far candidates came.',
      unit: 'short',
      queries: [{ expr: ofCluster('colloquy_interview_funnel', 'stage'), legend: '{{stage}}' }],
    },
    {
      title: 'Needs a person',
      description: 'Items of the attention list, an hour.',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (kind) (increase(colloquy_attention_items_total[1h]))',
          legend: '{{kind}}',
        },
      ],
    },
    {
      title: 'Open event streams',
      description: 'Browsers that follow an interview.',
      unit: 'short',
      queries: [{ expr: 'sum(colloquy_sse_open_streams)', legend: 'streams' }],
    },
    {
      title: 'Requests by endpoint',
      description: 'The ten busiest endpoints.',
      unit: 'reqps',
      queries: [
        {
          expr: `topk(10, ${perSecond(`${HTTP}_count`, 'method, route')})`,
          legend: '{{method}} {{route}}',
        },
      ],
    },
    {
      title: 'Failed requests by endpoint',
      description: 'Share of requests with a status of 500 or above.',
      unit: 'percentunit',
      queries: [
        {
          expr: `topk(10, ${share(`${HTTP}_count`, '{status=~"5.."}', 'method, route')})`,
          legend: '{{method}} {{route}}',
        },
      ],
    },
    {
      title: 'Duration by endpoint',
      description: 'The slowest ten endpoints; event streams are left out.',
      unit: 's',
      queries: [
        {
          expr: `topk(10, ${quantile(0.95, HTTP, 'method, route')})`,
          legend: '{{method}} {{route}} p95',
        },
      ],
    },
  ],
};

const MODEL: Dashboard = {
  uid: 'colloquy-model',
  title: 'Colloquy: model',
  variables: [
    { name: 'input_price', label: 'US dollars for a million input tokens', value: '0.25' },
    { name: 'output_price', label: 'US dollars for a million output tokens', value: '2' },
  ],
  panels: [
    {
      title: 'Duration of requests',
      description: 'From a request to its end. Replies are streamed, so candidates read earlier.',
      unit: 's',
      queries: quantiles('colloquy_llm_request_seconds', 'purpose'),
    },
    {
      title: 'Requests by purpose',
      description: 'One request for each answer, and a second one after a search.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_llm_attempts_total', 'purpose')}`,
          legend: '{{purpose}}',
        },
      ],
    },
    {
      title: 'Requests by outcome',
      description: 'Everything but `ok` and `stopped` is a failure of the model or of its server.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_llm_attempts_total', 'outcome')}`,
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Failed requests',
      description: 'Share of requests that failed, by purpose.',
      unit: 'percentunit',
      queries: [
        {
          expr: share('colloquy_llm_attempts_total', '{outcome!~"ok|stopped|aborted"}', 'purpose'),
          legend: '{{purpose}}',
        },
      ],
    },
    {
      title: 'Tokens',
      description: 'Tokens a second, as the model counted them.',
      unit: 'short',
      queries: [
        {
          expr: perSecond('colloquy_llm_tokens_total', 'purpose, direction'),
          legend: '{{purpose}} {{direction}}',
        },
      ],
    },
    {
      title: 'Cost an hour',
      description: 'By the two prices above.',
      unit: 'currencyUSD',
      queries: [{ expr: `3600 * (${COST}) / 1e6`, legend: 'cost' }],
    },
    {
      title: 'Cost of an answer',
      description: 'By the two prices above.',
      unit: 'currencyUSD',
      queries: [
        {
          expr: `(${COST}) / 1e6 / (${perSecond('colloquy_reply_wait_seconds_count', 'job')} > 0)`,
          legend: 'an answer',
        },
      ],
    },
    {
      title: 'Voices that wait for a transcript',
      description: 'They keep their answers open.',
      unit: 'short',
      queries: [{ expr: ofCluster('colloquy_voices_waiting'), legend: 'waiting' }],
    },
  ],
};

const DELIVERIES: Dashboard = {
  uid: 'colloquy-deliveries',
  title: 'Colloquy: deliveries',
  panels: [
    {
      title: 'Sends by outcome',
      description: 'Sends of parts of replies to channels that are written to.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_delivery_attempts_total', 'channel, outcome')}`,
          legend: '{{channel}} {{outcome}}',
        },
      ],
    },
    {
      title: 'Duration of a send',
      description: 'Above some seconds the channel has trouble.',
      unit: 's',
      queries: quantiles('colloquy_delivery_attempt_seconds', 'channel'),
    },
    {
      title: 'Parts by end',
      description: '`dead` and `unconfirmed` are in the attention list.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_delivery_parts_total', 'channel, end')}`,
          legend: '{{channel}} {{end}}',
        },
      ],
    },
    {
      title: 'Wait for a send',
      description: 'How late deliveries are claimed.',
      unit: 's',
      queries: quantiles('colloquy_job_claim_lateness_seconds{queue="deliver"}', 'queue'),
    },
    {
      title: 'Unclear sends and pauses',
      description:
        'Sends of which it is unknown whether they arrived, and seconds of pauses that channels asked for, an hour.',
      unit: 'short',
      queries: [
        {
          expr: 'sum(increase(colloquy_delivery_unknown_total[1h])) or vector(0)',
          legend: 'unclear sends',
        },
        {
          expr: 'sum(increase(colloquy_delivery_paused_seconds_total[1h])) or vector(0)',
          legend: 'paused seconds',
        },
      ],
    },
    {
      title: 'Telegram updates',
      description: 'What became of updates; `waiting` ones are handled by the queue `intake`.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_telegram_updates_total', 'outcome')}`,
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Calls of the Bot API',
      description: 'By method.',
      unit: 'opm',
      queries: [
        {
          expr: `60 * ${perSecond('colloquy_telegram_api_calls_total', 'method')}`,
          legend: '{{method}}',
        },
      ],
    },
    {
      title: 'Messages of an answer',
      description: 'How many messages candidates write before they wait for a reply.',
      unit: 'short',
      queries: [
        {
          expr: `${perSecond('colloquy_buffer_flush_messages_sum', 'channel')} / (${perSecond('colloquy_buffer_flush_messages_count', 'channel')} > 0)`,
          legend: '{{channel}}',
        },
      ],
    },
  ],
};

const NOTION: Dashboard = {
  uid: 'colloquy-notion',
  title: 'Colloquy: Notion',
  panels: [
    {
      title: 'Calls a second',
      description: 'By all replicas together; the budget is NOTION_RATE_PER_SECOND.',
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

const QUEUES: Dashboard = {
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

/** Every dashboard of deploy/monitoring. */
export const DASHBOARDS: readonly Dashboard[] = [INTERVIEWS, MODEL, DELIVERIES, NOTION, QUEUES];

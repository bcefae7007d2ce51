import { NOTION, QUEUES } from './platform-dashboards';
import { type Dashboard, ofCluster, perSecond, quantile, quantiles, share } from './queries';

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
      title: 'Calls to the Bot API',
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

/** Every dashboard of deploy/monitoring. */
export const DASHBOARDS: readonly Dashboard[] = [INTERVIEWS, MODEL, DELIVERIES, NOTION, QUEUES];

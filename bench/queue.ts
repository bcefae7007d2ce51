/**
 * How many cores PostgreSQL needs for 1,000 answers a second: a simulation (bench/lib/queue-simulation.ts)
 * whose service times are measured: the processor
 * time by `turn-cost`, how long a commit takes by `tripwires`. Once with arrivals at one rate, and once
 * with the hours of a day, whose evening is more than twice as busy as the average.
 */
import { figureOf, storedResults } from './lib/stored-results';
import { type SimulatedLoad, type SimulatedQueue, simulateQueue } from './lib/queue-simulation';
import { DAY, REPLY_SECONDS } from './lib/capacity-table';
import { type Figure, report } from './lib/report';

const ANSWERS_PER_SECOND = 1000;
const SEED = 20261125;
const CORES = [8, 16, 24, 32, 40, 48, 64, 96, 128, 192];
/** Connections for each core; a commit waits for the disk most of its time. */
const CONNECTIONS_PER_CORE = [2, 4, 8];
const SECONDS = 10;
const SECONDS_PER_HOUR = 1;
/** Enough: the busiest hour leaves a third of the cores, and 99 of 100 commits hardly wait. */
const ENOUGH = { utilisation: 0.7, p99WaitMs: 20 };

function loadOf(hours: readonly number[], secondsPerHour: number): SimulatedLoad {
  const results = storedResults();
  const measured = (name: string): number => figureOf(results, 'tripwires', name);
  const ofTurn = (name: string): number => figureOf(results, 'turn-cost', name);
  const commits = ofTurn('commits of a turn, all labels');
  const coreMs = ofTurn('processor of PostgreSQL for a turn') / commits;
  const median = measured('commit, p50');
  return {
    answersPerSecond: ANSWERS_PER_SECOND,
    hours,
    secondsPerHour,
    // All but the model's result in the ledger and turn.close come before its reply.
    commitsBefore: Math.ceil(commits) - 2,
    commitsAfter: 2,
    modelSeconds: REPLY_SECONDS,
    coreMs,
    // What a commit takes beyond its time on a core.
    diskMs: [Math.max(0.1, median - coreMs), measured('commit, p99')],
  };
}

interface Tried {
  readonly cores: number;
  readonly connections: number;
  readonly queue: SimulatedQueue;
}

const isEnough = ({ queue }: Tried): boolean =>
  queue.busiestUtilisation <= ENOUGH.utilisation && queue.p99WaitMs <= ENOUGH.p99WaitMs;

/** From the fewest cores that can keep up with the average, until the most connections are enough. */
function tryCores(load: SimulatedLoad): Tried[] {
  const tried: Tried[] = [];
  const commits = load.commitsBefore + load.commitsAfter;
  const busy = (load.answersPerSecond * commits * load.coreMs) / 1000;
  for (const cores of CORES.filter((some) => some > busy)) {
    const some = CONNECTIONS_PER_CORE.map((each): Tried => {
      const connections = cores * each;
      return { cores, connections, queue: simulateQueue(load, { cores, connections }, SEED) };
    });
    tried.push(...some);
    if (some.some(isEnough)) break;
  }
  return tried;
}

function figuresOf(name: string, tried: readonly Tried[]): Figure[] {
  const enough = tried.find(isEnough);
  return [
    ...tried.flatMap(({ cores, connections, queue }): Figure[] => {
      const of = `${name}, ${cores} cores, ${connections} connections`;
      return [
        { name: `${of}: busiest hour`, value: 100 * queue.busiestUtilisation, unit: '% of cores' },
        { name: `${of}: wait, p99`, value: queue.p99WaitMs, unit: 'ms' },
      ];
    }),
    { name: `${name}: cores that are enough`, value: enough?.cores ?? NaN, unit: '' },
    { name: `${name}: connections that are enough`, value: enough?.connections ?? NaN, unit: '' },
  ];
}

function main(): void {
  const steady = loadOf([1], SECONDS);
  const daily = loadOf(DAY, SECONDS_PER_HOUR);
  report(
    'queue',
    [
      { name: 'commits of an answer', value: steady.commitsBefore + 2, unit: '' },
      { name: 'a commit on a core', value: steady.coreMs, unit: 'ms' },
      { name: 'a commit beyond it, median', value: steady.diskMs[0], unit: 'ms' },
      { name: 'a commit beyond it, p99', value: steady.diskMs[1], unit: 'ms' },
      ...figuresOf('one rate', tryCores(steady)),
      ...figuresOf('a day', tryCores(daily)),
    ],
    [
      `${ANSWERS_PER_SECOND} answers a second on average, seed ${SEED}; the busiest hour of the day has ${Math.max(...DAY)} times the average`,
      `enough: at most ${100 * ENOUGH.utilisation} % of the cores in the busiest hour, and a p99 of at most ${ENOUGH.p99WaitMs} ms for connection and core`,
      'cores as fast as those of the machine that measured turn-cost; a simulation, not a measurement',
    ],
  );
}

main();

/** The commands of the documents: found, matched with their rules, and run in a fresh copy. */
import { spawn, spawnSync } from 'node:child_process';
import net from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { documentFiles, fencedBlocks, readDocument } from '../documents.mjs';
import { RULES } from './rules.mjs';

const SHELL = /^(sh|bash|shell|console)\b/;
/** The column "Run it" of the README's table of promises. */
const TABLE_COMMAND = /^\|.*\| `(npm [^`]+)`\s*\|$/;
const RUN_LIMIT_MS = 120_000;
/** With `npm ci`, on a busy machine. */
const READY_LIMIT_MS = 900_000;
const STOP_LIMIT_MS = 60_000;
/** For the documents' commands that import `my-vacancy.yaml`. */
const MY_VACANCY = `slug: my-vacancy
language: en
title: Baker
company: Corner Bakery
owner: { name: Ada Byron }
greeting: Welcome.
closing: Thank you, that was all.
questions:
  - { id: flour, text: Which flour do you like?, rubric: Names a flour. }
`;

/** `{command, places, rule}`: each command once; `rule` is undefined where none matches. */
export function documentedCommands() {
  const found = new Map();
  const add = (line, place) => {
    const command = line.replace(/\s+#\s.*$/, '').trim();
    if (command === '' || command.startsWith('#')) return;
    found.set(command, [...(found.get(command) ?? []), place]);
  };
  for (const file of documentFiles()) {
    const text = readDocument(file);
    for (const { info, text: block, line } of fencedBlocks(text)) {
      if (!SHELL.test(info)) continue;
      const commands = block.replaceAll('\\\n', ' ').split('\n');
      commands.forEach((command, index) => add(command, `${file}:${line + index}`));
    }
    text.split('\n').forEach((line, index) => {
      const [, command] = TABLE_COMMAND.exec(line) ?? [];
      if (command !== undefined) add(command, `${file}:${index + 1}`);
    });
  }
  return [...found].map(([command, places]) => {
    const rule = RULES.find(({ match, at }) =>
      at === undefined ? match.test(command) : places.every((place) => at.test(place)),
    );
    return { command, places, rule };
  });
}

function freePort() {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function cleanEnvironment() {
  const kept = ['PATH', 'HOME', 'LANG', 'CHROMIUM_PATH', 'NODE_OPTIONS', 'npm_config_cache'];
  return Object.fromEntries(
    kept.filter((key) => key in process.env).map((key) => [key, process.env[key]]),
  );
}

/** Whatever still runs when this process ends, also by Ctrl-C, ends with it. */
const started = new Set();
process.once('exit', () => started.forEach((running) => running.signal('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** A process of its own group, with its output; `signal` reaches all of it. */
class Running {
  output = '';

  constructor(command, { cwd, env }) {
    this.child = spawn('bash', ['-c', command], { cwd, env, detached: true });
    this.ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (part) => (this.output += String(part)));
    }
    this.child.stdin.end();
    started.add(this);
    void this.ended.then(() => started.delete(this));
  }

  signal(name) {
    try {
      process.kill(-this.child.pid, name);
    } catch {
      // It has ended.
    }
  }

  /** The exit code; null after the limit, when it is killed. */
  async exit(limitMs) {
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limitMs, null)));
    const code = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    if (code === null) this.signal('SIGKILL');
    return code;
  }

  /** Resolves when the output matches; false when it ends or takes too long. */
  async until(pattern, limitMs) {
    const deadline = Date.now() + limitMs;
    while (!pattern.test(this.output)) {
      if (this.child.exitCode !== null || Date.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return true;
  }
}

const WHO_ASK_FOR_A_PERSON = ['Grace Hopper', 'Mary Jackson', 'Radia Perlman', 'Hedy Lamarr'];

/** Holds a whole interview, and some whose candidates ask for a person. */
async function populate(world, output) {
  const [, invitation] = /\/i\/([\w-]+)/.exec(output);
  const begin = async (name) => {
    const call = async (action, body, token) => {
      const response = await fetch(`${world.base}/api/v1/${action}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${action}: ${response.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    };
    const { conversationId, sessionToken } = await call('sessions', { invite: invitation });
    const own = (action, body) => call(`conversation${action}`, body, sessionToken);
    const { disclosure } = await own('');
    await own('/consent', { version: disclosure.version, accepted: true });
    await own('/profile', { name, contact: 'ada@example.org' });
    return { conversationId, own };
  };
  const ada = await begin('Ada Lovelace');
  for (let n = 1; n <= 30; n += 1) {
    const { status, replying, hasBuffer } = await ada.own('');
    if (status === 'completed') break;
    if (!replying && !hasBuffer) {
      const id = `m${n}`;
      await ada.own('/messages', { id, text: 'I built a ledger and looked after it for years.' });
      await ada.own('/done', { lastMessageId: id });
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  for (const name of WHO_ASK_FOR_A_PERSON) {
    const { own } = await begin(name);
    await own('/human', {});
  }
  const json = (command) => {
    const ran = spawnSync('bash', ['-c', command], { ...world.at, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`${command}: ${ran.stderr}`);
    return JSON.parse(ran.stdout);
  };
  world.conversationId = ada.conversationId;
  const read = json(`./colloquy transcript ${ada.conversationId} --json`);
  world.candidateId = read.candidate.id;
  const { items } = json('./colloquy attention list --json');
  world.items = items.map(({ id }) => id);
  world.key = json('./colloquy key create verify --scope attention:read --json').token;
}

/**
 * Runs the commands of these kinds in `copy`, a fresh clone, but those that have `passed`, and returns what
 * became of each: `{command, places, outcome: passed | failed | not run, reason}`.
 */
export async function runCommands(copy, kinds, say, passed = new Set()) {
  const results = [];
  const note = ({ command, places }, outcome, reason, seconds) => {
    results.push({ command, places, outcome, ...(reason === undefined ? {} : { reason }) });
    const time = seconds === undefined ? '' : ` (${seconds} s)`;
    say(
      `  ${outcome.padEnd(8)} ${command}${time}${reason === undefined ? '' : `\n           ${reason}`}`,
    );
  };
  const commands = documentedCommands();
  for (const one of commands.filter(({ rule }) => rule === undefined)) {
    note(one, 'failed', `no rule in scripts/verify/rules.mjs; it is in ${one.places.join(', ')}`);
  }
  writeFileSync(path.join(copy, 'my-vacancy.yaml'), MY_VACANCY);
  const port = await freePort();
  const env = { ...cleanEnvironment(), PORT: String(port) };
  const at = { cwd: copy, env };
  const world = { base: `http://localhost:${port}`, at };
  let main = null;

  const serve = async (one, rule, command) => {
    const ownPort = await freePort();
    const own = {
      ...env,
      PORT: String(ownPort),
      COLLOQUY_DATA_DIR: path.join(copy, `.data-${ownPort}`),
    };
    const running = new Running(command, rule.isMain ? at : { cwd: copy, env: own });
    if (!(await running.until(rule.ready, READY_LIMIT_MS))) {
      running.signal('SIGKILL');
      return `not ready:\n${running.output.slice(-1500)}`;
    }
    if (rule.isMain) {
      main = running;
      await populate(world, running.output);
      return null;
    }
    running.signal('SIGINT');
    const code = await running.exit(STOP_LIMIT_MS);
    return code === 0 || code === 130
      ? null
      : `Ctrl-C ended it with ${code}:\n${running.output.slice(-1500)}`;
  };
  const run = async (one, rule, command) => {
    // With CI=true a test file that failed is run once more, alone: a busy machine makes some fail.
    const own = rule.kind === 'suite' ? { cwd: copy, env: { ...env, CI: 'true' } } : at;
    const running = new Running(command, own);
    const code = await running.exit(rule.limitMs ?? RUN_LIMIT_MS);
    if (code !== 0) return `exit code ${code}:\n${running.output.slice(-1500)}`;
    if (rule.expect === undefined || rule.expect.test(running.output)) return null;
    return `${rule.expect} is not in its output:\n${running.output.slice(-1500)}`;
  };

  try {
    for (const rule of RULES) {
      for (const one of commands.filter((candidate) => candidate.rule === rule)) {
        if (rule.kind === 'skip') {
          if (kinds.includes('skip')) note(one, 'not run', rule.reason);
          continue;
        }
        if (!kinds.includes(rule.kind) || passed.has(one.command)) continue;
        if (rule.program !== undefined && spawnSync('which', [rule.program]).status !== 0) {
          note(one, 'not run', `this machine has no ${rule.program}`);
          continue;
        }
        const startedAt = Date.now();
        let problem;
        try {
          const command = rule.with?.(one.command, world) ?? one.command;
          problem = await (rule.kind === 'serve' ? serve : run)(one, rule, command);
        } catch (error) {
          problem = String(error.stack ?? error);
        }
        const seconds = Math.round((Date.now() - startedAt) / 1000);
        note(one, problem === null ? 'passed' : 'failed', problem ?? undefined, seconds);
        // The rest works on what it serves.
        if (rule.isMain && problem !== null) return results;
      }
    }
  } finally {
    main?.signal('SIGINT');
    await main?.exit(STOP_LIMIT_MS);
  }
  return results;
}

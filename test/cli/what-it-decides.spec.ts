import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCli } from '../support/run-cli';

const FOLDER = path.join(__dirname, '../../docs');
const PAGE = readFileSync(path.join(FOLDER, 'what-it-decides.md'), 'utf8');

function named(pattern: RegExp): string[] {
  return [...new Set([...PAGE.matchAll(pattern)].map(([, name = '']) => name))];
}

test('each command that the page names exists', async () => {
  const commands = named(/`\.\/colloquy ([a-z ]+)`/g);
  expect(commands).toContain('decision export');

  const missing: string[] = [];
  for (const command of commands) {
    const { code, out } = await runCli([...command.split(' '), '--help'], {});
    const isShown = out.startsWith(`Usage: ./colloquy ${command} `);
    if (code !== 0 || !isShown) missing.push(command);
  }

  expect(missing).toEqual([]);
});

test('each setting, bot command and document that the page names exists', () => {
  const settings = readFileSync(path.join(FOLDER, 'configuration.md'), 'utf8');
  const bot = readFileSync(
    path.join(FOLDER, '../src/channels/telegram/dialog/update-router.ts'),
    'utf8',
  );
  const names = named(/`([A-Z]+_[A-Z_]+|SCORING)(?:=[^`]*)?`/g);
  const commands = named(/`\/([a-z]+)`/g);
  const links = named(/\]\(([^)#]+)\)/g);

  expect(names).toContain('RETENTION_PRESET');
  expect(names.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
  expect(commands).toEqual(['human', 'mydata', 'forget']);
  expect(commands.filter((name) => !bot.includes(`@Command('${name}')`))).toEqual([]);
  expect(links.filter((link) => !existsSync(path.join(FOLDER, link)))).toEqual([]);
});

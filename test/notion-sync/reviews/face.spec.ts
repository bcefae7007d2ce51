import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../..');

test('the interview loads neither the Notion sync nor the Notion client', () => {
  const script = `require('./src/interview');
    const files = Object.keys(require.cache);
    const has = (part) => files.some((file) => file.includes(part));
    console.log(JSON.stringify([has('src/notion-sync/reviews'), has('@notionhq'), has('date-holidays')]));`;

  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', path.join(ROOT, 'tools/support/swc-register.cjs'), '-e', script],
    { cwd: ROOT, encoding: 'utf8' },
  );

  expect({ stderr, loaded: stdout.trim() }).toEqual({ stderr: '', loaded: '[false,false,false]' });
});

import { execFileSync } from 'node:child_process';
import path from 'node:path';

const REGISTER = path.resolve('tools/support/swc-register.cjs');
const PROGRAM = path.join(__dirname, 'first-call-process.ts');

test('a process loads its HTTP client before it asks for its first permit', () => {
  const printed = execFileSync(process.execPath, ['-r', REGISTER, PROGRAM], { encoding: 'utf8' });

  expect(JSON.parse(printed)).toEqual({ atFirst: false, forThePermit: true });
});

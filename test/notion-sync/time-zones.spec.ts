import { execFileSync } from 'node:child_process';
import path from 'node:path';

test('a projection is the same in every time zone of the server', () => {
  const root = path.resolve(__dirname, '../..');
  const program = path.join(__dirname, 'zone-process.ts');
  const register = path.join(root, 'tools/support/swc-register.cjs');
  const printed = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles'].map((TZ) =>
    execFileSync(process.execPath, ['-r', register, program], {
      env: { ...process.env, TZ },
      encoding: 'utf8',
    }),
  );
  expect(new Set(printed).size).toBe(1);
  expect(printed[0]?.split('\n')).toHaveLength(3);
  expect(printed[0]).toContain('"2026-10-25"');
});

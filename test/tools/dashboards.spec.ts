import { DASHBOARDS } from '../../tools/dashboards/dashboards';
import { curvesOf, dashboardSvg } from '../../tools/dashboards/picture';

test('a query without a finite value has no curve, so the check of the dashboards reports it', () => {
  const found = [
    { metric: {}, values: [[1, 'NaN'] as const] },
    { metric: { channel: 'web' }, values: [[1, 'NaN'] as const, [2, '0.5'] as const] },
  ];

  expect(curvesOf('{{channel}} p95', found)).toEqual([{ name: 'web p95', points: [[2, 0.5]] }]);
  expect(curvesOf('waiting', [])).toEqual([]);
});

test('a picture has every panel of its dashboard, and labels that cannot end its text', () => {
  const [dashboard] = DASHBOARDS;
  if (dashboard === undefined) throw new Error('there is no dashboard');
  const [panel] = dashboard.panels;
  if (panel === undefined) throw new Error('there is no panel');

  const svg = dashboardSvg(dashboard, new Map([[panel, [{ name: '<b>&', points: [[1, 2]] }]]]));

  for (const { title } of dashboard.panels) expect(svg).toContain(`>${title}</text>`);
  expect(svg).toContain('&lt;b&gt;&amp;');
  expect(svg).not.toMatch(/NaN|Infinity/);
});

/**
 * The areas of labels, by the room that uses them. Every room adds its own, in its face if it has one:
 *
 *   declare module '../common/uow' {
 *     interface LabelAreas {
 *       health: 'health' | 'model';
 *     }
 *   }
 */
export interface LabelAreas {
  /** Units of requests. */
  uow: `http ${string}`;
}

type Area = LabelAreas[keyof LabelAreas];

/**
 * What a commit or a unit is for, as metrics, traces and logs name it, in snake_case: an area, and what
 * is done there after a dot (`turn.open`). An area that no room has declared does not compile.
 */
export type Label = Area | `${Area}.${Lowercase<string>}`;

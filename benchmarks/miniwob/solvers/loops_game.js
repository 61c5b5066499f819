// Tic-tac-toe against one who plays at random rather more often than not, and else wins or hinders where it
// can.
const lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const whims = 0.55;

const wins = (board, mark) => lines.some((line) => line.every((i) => board[i] === mark));
const free = (board) => [...board].flatMap((mark, i) => mark === ' ' ? [i] : []);
const put = (board, i, mark) => board.slice(0, i) + mark + board.slice(i + 1);

// How likely X wins, with the next move its own, or with that of O.
const chances = new Map();
function chance(board, mine) {
  const known = board + mine;
  if (!chances.has(known)) chances.set(known, wins(board, 'X') ? 1
    : wins(board, 'O') || !free(board).length ? 0
    : mine ? bestMove(board).odds : against(board));
  return chances.get(known);
}
function bestMove(board) {
  return free(board).map((at) => ({at, odds: chance(put(board, at, 'X'), false)}))
    .reduce((a, b) => b.odds > a.odds ? b : a);
}
function against(board) {
  const mean = (moves) => moves.reduce((sum, i) => sum + chance(put(board, i, 'O'), true), 0) / moves.length;
  const all = free(board), winning = (mark) => all.filter((i) => wins(put(board, i, mark), mark));
  const sharp = [winning('O'), winning('X'), all].find((moves) => moves.length);
  return whims * mean(all) + (1 - whims) * mean(sharp);
}
tasks['tic-tac-toe'] = () => {
  const cells = all('.ttt-row span');
  const board = cells.map((e) => e.matches('.mark-x') ? 'X' : e.matches('.mark-o') ? 'O' : ' ').join('');
  if (board.length !== 9 || !free(board).length) return null;
  const {at, odds} = bestMove(board);
  return press(cells[at], `field ${at + 1}, ${Math.round(100 * odds)} of 100`);
};

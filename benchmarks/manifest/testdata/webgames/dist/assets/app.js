// A site of the kind that WebGames is: one page for all paths, two calls to the server, a password at the end.
const game = location.pathname.slice(1);
const passwords = {press: 'Pressed-17', dice: 'Thrown-4'};
const main = document.getElementById('root').appendChild(document.createElement('main'));
const tell = (what) => fetch('/api/record-' + what, {method: 'POST', body: JSON.stringify({taskId: game})}).then((r) => r.json());
main.innerHTML = '<h1>' + game + '</h1><button>Solve</button><p id="said"></p><p id="thrown">' + Math.random() + '</p><p id="seen"></p>';
tell('view').then((r) => { document.getElementById('seen').textContent = 'seen ' + r.success; });
main.querySelector('button').onclick = async () => {
  await tell('completion');
  document.getElementById('said').textContent = 'The password is ' + passwords[game];
};

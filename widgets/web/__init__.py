"""The web page of a server: the Explorer and the proof viewer without a kernel, for people without Jupyter.

answers  what the page may ask of a store: reads alone
files    the files of the page, by the path under which it fetches them

In the page: `traits.js` stands in for a widget's model, `ask.js` asks the server, `verify.js` checks proofs in the
browser, with `json.js`; `web.js` puts it together. What is drawn is drawn by the widgets' own scripts.
"""
